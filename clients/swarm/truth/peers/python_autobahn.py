"""Autobahn, which is strict, with its compression, over Python's TLS where it gets a certificate.

usage: python_autobahn.py CORRUPT [CERTIFICATE KEY] [--stall US --every US --stall-from US]
"""

import asyncio

import peer
from autobahn.asyncio.websocket import WebSocketServerFactory, WebSocketServerProtocol
from autobahn.websocket.compress import PerMessageDeflateOffer, PerMessageDeflateOfferAccept


class Echo(WebSocketServerProtocol):
    def onMessage(self, payload, isBinary):
        self.sendMessage(peer.answer(payload), isBinary)


def accept(offers):
    for offer in offers:
        if isinstance(offer, PerMessageDeflateOffer):
            return PerMessageDeflateOfferAccept(offer)
    return None


async def listen(context):
    factory = WebSocketServerFactory()
    factory.protocol = Echo
    factory.setProtocolOptions(perMessageCompressionAccept=accept)
    return await asyncio.get_running_loop().create_server(factory, '127.0.0.1', 0, ssl=context, backlog=511)


asyncio.run(peer.serve('autobahn', listen))
