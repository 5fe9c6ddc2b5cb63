import { createHttpClient } from '@sdk/frontend'
import { isApiError } from '@sdk/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createResponseRecorder, type StreamRecording } from './recording.ts'
import { detectFraming, parseDelimiter, resplit } from './resplit.ts'

/** Returns the chunks that a client receives if the response arrives in these pieces. */
async function byClient(
  pieces: readonly Uint8Array[],
  type: string,
  delimiter?: string,
): Promise<{ chunks: unknown[]; error: string | null }> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  const fetch = async (): Promise<Response> => new Response(body, { headers: { 'content-type': type } })
  const reply = await createHttpClient({ baseUrl: 'http://x', fetch }).send('GET /x', undefined, {
    delimiter,
    retry: false,
  })
  const chunks: unknown[] = []
  if (reply.kind === 'value') return { chunks, error: null }
  try {
    for await (const chunk of reply.chunks) chunks.push(chunk)
    return { chunks, error: null }
  } catch (error) {
    return { chunks, error: isApiError(error) ? error.message : 'another error' }
  }
}

function record(pieces: readonly Uint8Array[], type: string): StreamRecording {
  const recorder = createResponseRecorder()
  recorder.head(200, [['content-type', type]])
  for (const piece of pieces) recorder.add(piece)
  recorder.end()
  return recorder.snapshot()
}

function bySplit(recording: StreamRecording, delimiter?: string): { chunks: unknown[]; error: string | null } {
  const framing = detectFraming(recording, delimiter)
  if (framing === null) return { chunks: [], error: null }
  const { chunks, error } = resplit(recording, framing, delimiter)
  return { chunks: chunks.map(({ value }) => value), error }
}

/** Parts of streams, split at any position. */
const pieces = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc.constantFrom('\n', '\n\n', 'data: ', 'id: 3\n', '||', '{"a":1}', 'ä€😀', '"', '\r\n'),
        fc.constant('{"error":{"code":"INTERNAL","message":"boom","details":[]}}\n'),
        fc.string({ maxLength: 6 }),
      ),
      { maxLength: 12 },
    ),
    fc.array(fc.nat(80), { maxLength: 6 }),
  )
  .map(([parts, cuts]) => {
    const bytes = new TextEncoder().encode(parts.join(''))
    const offsets = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length]
    return offsets.slice(1).map((end, index) => bytes.subarray(offsets[index], end))
  })

const TYPES = ['application/x-ndjson', 'text/event-stream', 'text/plain', 'image/png', 'application/octet-stream']

describe('resplit', () => {
  it('returns the same chunks as the client, for any type, delimiter and split', async () => {
    await fc.assert(
      fc.asyncProperty(
        pieces,
        fc.constantFrom(...TYPES),
        fc.constantFrom(undefined, '\n', '||', ' '),
        async (some, type, delimiter) => {
          expect(bySplit(record(some, type), delimiter)).toEqual(await byClient(some, type, delimiter))
        },
      ),
    )
  })

  it('does not split JSON, which is one value with any delimiter', () => {
    expect(detectFraming(record([], 'application/json'), '\n')).toBeNull()
  })

  it('returns the time at which each value was complete', () => {
    let time = 0
    const recorder = createResponseRecorder(() => time)
    recorder.head(200, [['content-type', 'application/x-ndjson']])
    for (const [at, text] of [
      [5, '1\n2'],
      [9, '\n3'],
    ] as const) {
      time = at
      recorder.add(new TextEncoder().encode(text))
    }
    time = 20
    recorder.end()
    expect(resplit(recorder.snapshot(), 'ndjson').chunks).toEqual([
      { value: 1, at: 5 },
      { value: 2, at: 9 },
      { value: 3, at: 20 },
    ])
  })

  it('omits an incomplete last chunk while the stream is open', () => {
    const recording = { ...record([new TextEncoder().encode('a\nb')], 'text/plain'), total: null }
    expect(resplit(recording, 'text').chunks.map(({ value }) => value)).toEqual(['a'])
  })
})

describe('parseDelimiter', () => {
  it('parses escapes, and returns undefined for an empty text', () => {
    expect(['', String.raw`\n`, String.raw`\r\n`, String.raw`\\n`, '||'].map(parseDelimiter)).toEqual([
      undefined,
      '\n',
      '\r\n',
      String.raw`\n`,
      '||',
    ])
  })
})
