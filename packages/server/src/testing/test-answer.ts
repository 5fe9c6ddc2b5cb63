import { createChunkSplitter, framingOf, fromEnvelope, fromRetryAfter, isEnvelope } from '@sdk/protocol'
import type { ErrorObserver } from './error-observer.ts'

/** A response, and the handler's unexpected error, which becomes the `cause` of the error thrown in the test. */
export interface TestAnswer {
  readonly response: Response
  readonly observer: Pick<ErrorObserver, 'error'>
}

/** Returns the value of a response, or the array of its chunks. If it is an error response, rejects with its error. */
export async function toAnswerValue(answer: TestAnswer): Promise<unknown> {
  return (await readAnswerChunks(answer)) ?? readAnswerValue(answer.response)
}

/** Returns all chunks of a response. A response that is not a stream counts as one chunk. */
export async function toCollected(answer: TestAnswer): Promise<unknown[]> {
  return (await readAnswerChunks(answer)) ?? [await readAnswerValue(answer.response)]
}

async function readAnswerChunks({ response, observer }: TestAnswer): Promise<unknown[] | null> {
  const { ok, status, headers } = response
  if (!ok)
    throw fromEnvelope(fromJson(await response.text()), {
      status,
      requestId: headers.get('x-request-id') ?? undefined,
      retryAfter: fromRetryAfter(headers.get('retry-after')),
      ...causeOf(observer),
    })
  const framing = framingOf(headers.get('content-type'))
  if (framing === null) return null
  const splitter = createChunkSplitter(framing)
  const chunks = [...splitter.push(new Uint8Array(await response.arrayBuffer())), ...splitter.end()]
  const last = chunks.at(-1)
  if (isEnvelope(last)) throw fromEnvelope(last, causeOf(observer))
  return chunks
}

function causeOf({ error }: TestAnswer['observer']): { cause?: unknown } {
  return error === undefined ? {} : { cause: error }
}

async function readAnswerValue(response: Response): Promise<unknown> {
  const isJson = /^application\/([\w.+-]+\+)?json\b/i.test(response.headers.get('content-type') ?? '')
  const blob = await response.blob()
  if (blob.size === 0) return null
  return isJson ? JSON.parse(await blob.text()) : blob
}

/** Parses the body of an error response. Returns undefined if it is not JSON, such as a custom error page. */
function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not an error envelope
  }
}
