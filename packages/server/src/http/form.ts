import { httpError, bodyTooLarge } from './http-error.ts'
import { splitMultipart, type FormPart } from './multipart.ts'

/** Options for `readForm` and `readFormParts`. */
export interface FormOptions {
  /** The maximum number of fields and files. Forms with more are rejected with 413. @default 1000 */
  parts?: number
}

const DEFAULT_PARTS = 1000

/**
 * Reads the fields and files in a form, such as an upload, into memory. Throws 413 without reading the rest if the form
 * exceeds `limit` bytes or has more than `parts` fields and files. Throws 415 if the body is not a form.
 * @example const form = await readForm(ctx.request, 5_000_000)
 */
export async function readForm(
  request: Request,
  limit: number,
  { parts = DEFAULT_PARTS }: FormOptions = {},
): Promise<FormData> {
  if (mediaTypeOf(request) === URL_ENCODED) return readUrlEncoded(request, limit, parts)
  const form = new FormData()
  for await (const { name, filename, type, body } of readFormParts(request, limit, { parts })) {
    const bytes = new Blob(await collect(body), { type })
    if (filename !== null) form.append(name, new File([bytes], filename, { type }))
    else form.append(name, decodeField(await bytes.arrayBuffer(), type))
  }
  return form
}

/**
 * Reads the fields and files in a `multipart/form-data` body one by one as they arrive, for files that do not fit into
 * memory. The same limits apply as in `readForm`.
 * @example for await (const part of readFormParts(ctx.request, 1e9)) await pipeline(part.body, createWriteStream(path))
 */
export async function* readFormParts(
  request: Request,
  limit: number,
  { parts = DEFAULT_PARTS }: FormOptions = {},
): AsyncGenerator<FormPart, void, undefined> {
  if (mediaTypeOf(request) !== MULTIPART)
    throw httpError('UNSUPPORTED_MEDIA_TYPE', `the body must be a form, with Content-Type: ${MULTIPART}`, {
      headers: { accept: `${MULTIPART}, ${URL_ENCODED}` },
    })
  const boundary = boundaryOf(request)
  assertLength(request, limit)
  yield* splitMultipart(bodyOf(request), boundary, { bytes: limit, parts })
}

const MULTIPART = 'multipart/form-data'
const URL_ENCODED = 'application/x-www-form-urlencoded'

function mediaTypeOf(request: Request): string | undefined {
  return request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
}

const BOUNDARY = /;\s*boundary\s*=\s*(?:"((?:(?!["\\])[ -~]){1,70})"|((?:(?![",;\\])[!-~]){1,70}))\s*(?:;|$)/i

function boundaryOf(request: Request): string {
  const [, quoted, boundary = quoted] = BOUNDARY.exec(request.headers.get('content-type') ?? '') ?? []
  if (boundary === undefined) throw httpError('INVALID_REQUEST', 'the Content-Type of the form has no boundary')
  return boundary
}

function assertLength(request: Request, limit: number): void {
  if (Number(request.headers.get('content-length')) > limit) throw bodyTooLarge(limit)
}

function bodyOf(request: Request): AsyncIterable<Uint8Array<ArrayBuffer>> {
  return request.body ?? new Blob([]).stream()
}

async function collect(body: FormPart['body']): Promise<Uint8Array<ArrayBuffer>[]> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of body) chunks.push(chunk)
  return chunks
}

/** Decodes the text of a field, whose part may declare a charset other than UTF-8. */
function decodeField(bytes: ArrayBuffer, type: string): string {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([\w-]+)/i.exec(type) ?? []
  try {
    return new TextDecoder(charset, { ignoreBOM: true }).decode(bytes)
  } catch {
    throw httpError('INVALID_REQUEST', `unknown charset in a form field: ${JSON.stringify(charset)}`)
  }
}

/**
 * Reads a URL-encoded form. Counts the fields before parsing, since a million fields fit into 2 MB and would block the
 * event loop.
 */
async function readUrlEncoded(request: Request, limit: number, max: number): Promise<FormData> {
  assertLength(request, limit)
  let size = 0
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of bodyOf(request)) {
    size += chunk.length
    if (size > limit) throw bodyTooLarge(limit)
    chunks.push(chunk)
  }
  const text = await new Blob(chunks).text()
  let fields = 1
  for (let at = text.indexOf('&'); at !== -1 && fields <= max; at = text.indexOf('&', at + 1)) fields += 1
  if (fields > max) throw httpError('CONTENT_TOO_LARGE', `the form has more than ${max} fields and files`)
  const form = new FormData()
  for (const [name, value] of new URLSearchParams(text)) form.append(name, value)
  return form
}
