import type { Readable } from 'node:stream'

/** Reads JSON messages with a `Content-Length` header, which both protocols use. */
export function readMessages(stream: Readable, onMessage: (message: unknown) => void): void {
  let buffer = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk])
    for (;;) {
      const head = buffer.indexOf('\r\n\r\n')
      if (head < 0) return
      const length = Number(/Content-Length: (\d+)/i.exec(buffer.toString('latin1', 0, head))?.[1])
      const end = head + 4 + length
      if (buffer.length < end) return
      const text = buffer.toString('utf8', head + 4, end)
      buffer = buffer.subarray(end)
      onMessage(JSON.parse(text))
    }
  })
}
