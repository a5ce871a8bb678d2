"""A program in processes of its own: several devices, several workers on this machine.

They are forked from one that has loaded TensorFlow but not begun to use it.
"""

import json
import multiprocessing
import os
import socket
import sys
import time

import tensorflow as tf

from bert_keras.errors import InputError
from bert_keras.run_pretraining import main as pretrain
from bert_keras.training import run_state


def context():
    """What processes are started from."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["bert_keras.pretraining.job"])
    return context


def start(context, settings, num_devices=1, workers=None, index=0, errors=None, program=pretrain):
    """Starts a program.

    Args:
        settings: its flags.
        num_devices: how many logical CPU devices it sees.
        workers: the addresses of all workers; None for one process alone.
        index: which of them it is.
        errors: the file that its standard error goes to.
        program: function of the settings -> exit status.
    """
    process = context.Process(
        target=_run, args=(program, settings, num_devices, workers, index, errors)
    )
    process.start()
    return process


def start_workers(context, settings, num_workers=2, errors=None, program=pretrain):
    """Starts a program on several workers; their errors go to files `errors.0`, `errors.1` …"""
    workers = free_addresses(num_workers)
    return [
        start(
            context, settings, 1, workers, index, f"{errors}.{index}" if errors else None, program
        )
        for index in range(num_workers)
    ]


def wait_for(condition, is_alive, seconds=90):
    """Waits until a condition holds, while a process must be alive."""
    end = time.monotonic() + seconds
    while not condition():
        assert is_alive(), "the process has ended"
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.0005)


def join(processes, seconds=90):
    """Waits for the end of processes and returns their exit statuses."""
    for process in processes:
        process.join(seconds)
        assert process.exitcode is not None, "the process does not end"
    return [process.exitcode for process in processes]


def saved(folder, step):
    """Every tensor of a checkpoint."""
    reader = tf.train.load_checkpoint(run_state.checkpoint_path(folder, step))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def free_addresses(number):
    """Addresses of this machine whose ports nobody uses now."""
    sockets = [socket.socket() for _ in range(number)]
    for open_socket in sockets:
        open_socket.bind(("127.0.0.1", 0))
    addresses = [f"127.0.0.1:{open_socket.getsockname()[1]}" for open_socket in sockets]
    for open_socket in sockets:
        open_socket.close()
    return addresses


def _run(program, settings, num_devices, workers, index, errors):
    if errors:
        os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
    if num_devices > 1:
        [cpu] = tf.config.list_physical_devices("CPU")
        devices = [tf.config.LogicalDeviceConfiguration()] * num_devices
        tf.config.set_logical_device_configuration(cpu, devices)
    if workers:
        task = {"type": "worker", "index": index}
        os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": workers}, "task": task})
    try:
        sys.exit(program(settings))
    except InputError as error:  # as the command line shows it
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
