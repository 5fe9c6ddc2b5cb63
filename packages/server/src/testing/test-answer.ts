import { createChunkSplitter, framingOf, fromEnvelope, fromRetryAfter, isEnvelope } from '@sdk/protocol'
import type { ErrorObserver } from './error-observer.ts'

/** An answer, and what its handler threw without meaning to: the cause of the error that a test gets. */
export interface TestAnswer {
  readonly response: Response
  readonly observer: Pick<ErrorObserver, 'error'>
}

/** What an answer says: its value, or the list of its chunks. Rejects with the error where it is one. */
export async function toAnswerValue(answer: TestAnswer): Promise<unknown> {
  return (await readAnswerChunks(answer)) ?? readAnswerValue(answer.response)
}

/** All chunks of an answer; one that is no stream is one. */
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

/** The body of an error; undefined where it is no JSON, as a handler's own page. */
function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // which is no envelope
  }
}
