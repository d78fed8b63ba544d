"""What both peers in Python share (../peers.js has what peers are to do)."""

import asyncio
import json
import os
import signal
import ssl
import sys

EVERY = int(sys.argv[1])
COUNTS = {'received': 0, 'answered': 0, 'corrupted': 0, 'received_b': 0}


def make_context():
    """Of the certificate and the key that were given; None where none were."""
    if len(sys.argv) < 4:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    return context


def answer(payload):
    """The answer to a text, as bytes: the same, or with one wrong byte."""
    COUNTS['received'] += 1
    COUNTS['received_b'] += len(payload)
    COUNTS['answered'] += 1
    if COUNTS['received'] % EVERY:
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
