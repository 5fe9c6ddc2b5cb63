import { assertFormParts } from './form-parts.ts'
import { httpError, bodyTooLarge } from './http-error.ts'

/** What `readForm` takes beside a limit. */
export interface FormOptions {
  /** How many fields and files a form may have; more are 413. @default 1000 */
  parts?: number
}

/**
 * The fields and files of a form that was sent, as of an upload; more than `limit` bytes are not read and are 413, as are
 * more than a thousand fields and files, and what is no form is 415.
 * @example const form = await readForm(ctx.request, 5_000_000)
 */
export async function readForm(request: Request, limit: number, { parts = 1000 }: FormOptions = {}): Promise<FormData> {
  const type = toFormType(request.headers.get('content-type') ?? '')
  if (Number(request.headers.get('content-length')) > limit) throw bodyTooLarge(limit)
  const bytes = await readFormBytes(request, limit)
  assertFormParts(bytes, type.boundary, parts)
  try {
    return await new Response(bytes, { headers: { 'content-type': type.text } }).formData()
  } catch (cause) {
    throw httpError('INVALID_REQUEST', 'the body is no form, or was cut off', { cause })
  }
}

/** How a form was written; `boundary` stands between its parts, and is null where an `&` does. */
interface FormType {
  readonly text: string
  readonly boundary: string | null
}

const MULTIPART = 'multipart/form-data'
const URL_ENCODED = 'application/x-www-form-urlencoded'

/** The boundary in a `Content-Type`, with or without quotes. */
const BOUNDARY = /;\s*boundary=(?:"((?:(?!["\\])[ -~]){1,70})"|((?:(?![",;\\])[!-~]){1,70}))\s*(?:;|$)/i

function toFormType(header: string): FormType {
  const name = header.split(';', 1)[0]?.trim().toLowerCase()
  if (name === URL_ENCODED) return { text: URL_ENCODED, boundary: null }
  if (name !== MULTIPART)
    throw httpError('UNSUPPORTED_MEDIA_TYPE', `send a form, with Content-Type: ${MULTIPART}`, {
      headers: { accept: `${MULTIPART}, ${URL_ENCODED}` },
    })
  const [, quoted, plain] = BOUNDARY.exec(header) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw httpError('INVALID_REQUEST', 'the Content-Type of the form has no boundary')
  // Written anew, so that whoever reads the form finds the parts that were counted.
  return { text: `${MULTIPART}; boundary="${boundary}"`, boundary }
}

/** Counted as they come: who sends no length, or a wrong one, fills no memory. */
async function readFormBytes(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const piece of (request.body ?? []) as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    size += piece.length
    if (size > limit) throw bodyTooLarge(limit)
    pieces.push(piece)
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer())
}
