// Asks a signature of a SavedModel as TensorFlow Serving does, without Python: loads the folder,
// fills in what the request leaves out from the signature's defaults, runs the session.
//
//   run_signature FOLDER SIGNATURE REQUEST ANSWER [LIBRARY...]
//
// REQUEST and ANSWER are files, each with a SignatureDef whose `defaults` are tensors by name: the
// message of TensorFlow itself that is a map of them. LIBRARY holds operations to be registered.
// An error is written to stderr, and makes the exit status 1.

#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/c/c_api.h"
#include "tensorflow/cc/saved_model/loader.h"
#include "tensorflow/cc/saved_model/util.h"
#include "tensorflow/core/public/session.h"

namespace {

int Fail(const std::string& message) {
  std::cerr << message << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return Fail("run_signature FOLDER SIGNATURE REQUEST ANSWER [LIBRARY...]");
  for (int i = 5; i < argc; ++i) {
    TF_Status* status = TF_NewStatus();
    TF_LoadLibrary(argv[i], status);
    if (TF_GetCode(status) != TF_OK) return Fail(TF_Message(status));
    TF_DeleteStatus(status);
  }

  tensorflow::SavedModelBundle bundle;
  absl::Status status = tensorflow::LoadSavedModel({}, {}, argv[1], {"serve"}, &bundle);
  if (!status.ok()) return Fail(std::string(status.message()));
  const tensorflow::SignatureDef& signature = bundle.GetSignatures().at(argv[2]);

  tensorflow::SignatureDef request;
  std::ifstream request_file(argv[3], std::ios::binary);
  if (!request.ParseFromIstream(&request_file)) return Fail("The request cannot be read.");
  std::vector<std::pair<std::string, tensorflow::Tensor>> inputs;
  status = tensorflow::saved_model::GetInputValues(signature, request.defaults(), inputs);
  if (!status.ok()) return Fail(std::string(status.message()));

  std::vector<std::string> names, tensors;
  for (const auto& [name, info] : signature.outputs()) {
    names.push_back(name);
    tensors.push_back(info.name());
  }
  std::vector<tensorflow::Tensor> outputs;
  status = bundle.GetSession()->Run(inputs, tensors, {}, &outputs);
  if (!status.ok()) return Fail(std::string(status.message()));

  tensorflow::SignatureDef answer;
  for (size_t i = 0; i < names.size(); ++i) {
    outputs[i].AsProtoField(&(*answer.mutable_defaults())[names[i]]);
  }
  std::ofstream answer_file(argv[4], std::ios::binary);
  return answer.SerializeToOstream(&answer_file) ? 0 : Fail("The answer cannot be written.");
}
