"""How programs ask a server for answers: what they need is this folder, and no model.

rest: JSON over HTTP, by Python's own library
grpc_client: gRPC, by tensorflow-serving-api
"""
