"""Python's websockets with its compression, over Python's TLS where it gets a certificate.

usage: python_websockets.py CORRUPT [CERTIFICATE KEY] [--stall US --every US --stall-from US]
"""

import asyncio

import peer
from websockets.asyncio.server import serve as listen_with
from websockets.exceptions import ConnectionClosed


async def converse(socket):
    try:
        async for message in socket:
            await socket.send(peer.answer(message.encode()), text=True)
    except ConnectionClosed:
        pass  # the client is gone


async def listen(context):
    server = await listen_with(converse, '127.0.0.1', 0, ssl=context, backlog=511)
    return server.server


asyncio.run(peer.serve('websockets', listen))
