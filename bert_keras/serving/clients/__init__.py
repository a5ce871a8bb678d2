"""How programs ask a server for answers: no model is loaded here.

rest: JSON over HTTP, by Python's own library
padding: rows of ids that differ in length, as a server takes them
grpc_client: gRPC, by tensorflow-serving-api
"""
