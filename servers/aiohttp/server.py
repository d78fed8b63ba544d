from contextlib import suppress

import uvloop
from aiohttp import WSMsgType, web
from contract import BEHAVIOURS, MESSAGE_MAX_B, serve


async def listen(host, port, answer):
    async def converse(request):
        socket = web.WebSocketResponse(max_msg_size=MESSAGE_MAX_B, compress=False)
        await socket.prepare(request)
        try:
            async for message in socket:
                if (pong := answer(message.data)) is None:
                    continue
                await (socket.send_str(pong) if message.type is WSMsgType.TEXT else socket.send_bytes(pong))
        except ConnectionError:
            pass  # the client has gone
        return socket

    everyone = set()

    async def converse_with_all(request):
        socket = web.WebSocketResponse(max_msg_size=MESSAGE_MAX_B, compress=False)
        await socket.prepare(request)
        everyone.add(socket)
        try:
            async for message in socket:
                for each in list(everyone):
                    with suppress(ConnectionError):  # that client has gone
                        await (each.send_str if message.type is WSMsgType.TEXT else each.send_bytes)(message.data)
        finally:
            everyone.discard(socket)
        return socket

    application = web.Application()
    application.router.add_get('/', converse if answer else converse_with_all)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, host, port).start()
    return runner


serve('aiohttp', BEHAVIOURS, listen, uvloop.run)
