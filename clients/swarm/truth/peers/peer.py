"""What both peers in Python share (../peers.js has what peers are to do)."""

import argparse
import asyncio
import json
import os
import signal
import ssl
import time


def microseconds(text):
    return int(text.removesuffix('us'))


PARSER = argparse.ArgumentParser()
PARSER.add_argument('corrupt', type=int, help='change a byte of every such answer; 0 for never')
PARSER.add_argument('certificate', nargs='?')
PARSER.add_argument('key', nargs='?')
PARSER.add_argument('--stall', type=microseconds)
PARSER.add_argument('--every', type=microseconds)
PARSER.add_argument('--stall-from', type=microseconds)
ASKED = PARSER.parse_args()
COUNTS = {'received': 0, 'answered': 0, 'corrupted': 0, 'received_b': 0}


def make_context():
    """Of the certificate and the key that were given; None where none were."""
    if ASKED.certificate is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(ASKED.certificate, ASKED.key)
    return context


def sit_out_stall():
    """Block the event loop until the end of the stall, if there is one."""
    if ASKED.stall is None:
        return
    since_us = time.monotonic_ns() // 1000 - ASKED.stall_from
    if since_us >= 0 and since_us % ASKED.every < ASKED.stall:
        time.sleep((ASKED.stall - since_us % ASKED.every) / 1e6)


def answer(payload):
    """The answer to a text, as bytes: the same, or with one wrong byte."""
    sit_out_stall()
    COUNTS['received'] += 1
    COUNTS['received_b'] += len(payload)
    COUNTS['answered'] += 1
    if ASKED.corrupt == 0 or COUNTS['received'] % ASKED.corrupt:
        return payload
    COUNTS['corrupted'] += 1
    return payload[:-1] + bytes([payload[-1] ^ 1])


async def serve(engine, listen):
    """`listen(context)` is a coroutine that returns an asyncio server."""
    server = await listen(make_context())
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
    pid = os.getpid()
    port = server.sockets[0].getsockname()[1]
    processes = [{'pid': pid, 'role': 'worker', 'index': 1}]
    print('ready', json.dumps({'engine': engine, 'version': 'peer', 'port': port, 'pid': pid, 'processes': processes}), flush=True)
    await asyncio.Event().wait()  # for ever


def stop():
    """Tell what was counted, and end at once."""
    print(json.dumps(COUNTS), flush=True)
    os._exit(0)
