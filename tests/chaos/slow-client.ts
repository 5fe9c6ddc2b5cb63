import { connect, type Socket } from 'node:net'
import { encodeFrame, SUBPROTOCOL } from '@sdk/protocol'

/** Connects like our client, sends `hi`, and then never reads. */
export async function connectSlow(to: { port: number; host: string } | { path: string }): Promise<Socket> {
  const socket = connect(to as { path: string })
  // The server will disconnect it.
  socket.on('error', () => undefined)
  socket.write(HANDSHAKE)
  const reply = await new Promise<Buffer>((resolve, reject) => {
    socket.once('data', resolve).once('close', () => reject(new Error('the server closed the connection')))
  })
  socket.pause()
  if (!reply.toString().startsWith('HTTP/1.1 101')) throw new Error(`the handshake was rejected: ${reply.toString()}`)
  socket.write(toFrame(encodeFrame({ o: 'hi', v: 1, sid: null, rx: 0, pos: {} })))
  return socket
}

const HANDSHAKE = [
  'GET /ws/flood HTTP/1.1',
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  `Sec-WebSocket-Protocol: ${SUBPROTOCOL}`,
  '\r\n',
].join('\r\n')

/** Creates the client frame of a short text. The mask is zero, so the text is unchanged. */
function toFrame(text: string): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length > 125) throw new TypeError('the text is too long')
  return Buffer.concat([Buffer.from([0x81, 0x80 | bytes.length, 0, 0, 0, 0]), bytes])
}
