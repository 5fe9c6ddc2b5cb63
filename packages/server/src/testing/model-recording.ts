import { isSecret } from '../log/log-value.ts'
import { shortHash } from '../node/recording-files.ts'

/** A request to a model. It contains neither headers, except for the names of models, nor secrets. */
export interface ModelRequest {
  readonly method: string
  readonly host: string
  /** The path and the query. */
  readonly path: string
  /** The headers that select the model, for gateways that do not expect it in the body. */
  readonly model?: Readonly<Record<string, string>>
  /** The JSON value or the text of the body, the parts of a form, or a hash of bytes. */
  readonly body: unknown
}

/** A recorded call of a model, which is one JSON file. */
export interface ModelRecording extends ModelRequest {
  readonly status: number
  readonly type: string
  /** The chunks of the response: text, base64, or one JSON value. */
  readonly chunks: readonly unknown[]
  readonly encoding?: 'base64'
}

const HIDDEN = '[redacted]'
const SECRET_HEADER = /key|auth|token|secret|cookie/i
const SECRET_PARAMETER = /^key$|^sig|key$|token|secret|passw|auth/i
const SECRET_VARIABLE = /(?:KEY|TOKEN|SECRET|PASSWORD)$/
const MODEL_HEADER = /^ai-(?:\w+-)*model-(?:id|streaming)$/

/** Returns the secrets that a request contains, and those in the environment. */
export function findSecrets({ url, headers }: Request): string[] {
  const named = [...headers].filter(([name]) => SECRET_HEADER.test(name)).flatMap(([, value]) => value.split(/[\s;=]+/))
  const sent = [...new URL(url).searchParams].filter(([name]) => SECRET_PARAMETER.test(name)).map(([, value]) => value)
  const known = Object.entries(process.env).filter(([name]) => SECRET_VARIABLE.test(name))
  const all = [...named, ...sent, ...known.map(([, value = '']) => value)]
  // Shorter values, such as a placeholder for a key, may also be words of a prompt.
  return all.filter(({ length }) => length >= 12).toSorted((a, b) => b.length - a.length)
}

/** Describes a request without its secrets. */
export async function toModelRequest(request: Request, secrets: readonly string[]): Promise<ModelRequest> {
  const url = new URL(request.url)
  for (const name of new Set(url.searchParams.keys()))
    if (SECRET_PARAMETER.test(name)) url.searchParams.set(name, 'redacted')
  const model = [...request.headers].filter(([name]) => MODEL_HEADER.test(name))
  return {
    method: request.method,
    host: url.host,
    path: hideText(url.pathname + url.search, secrets),
    ...(model.length > 0 && { model: Object.fromEntries(model) }),
    body: hideSecrets(await readBody(request), secrets),
  }
}

async function readBody(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  if (type.startsWith('multipart/form-data')) return Promise.all(Array.from(await request.formData(), toPart))
  const bytes = new Uint8Array(await request.arrayBuffer())
  const text = decodeText([bytes])?.join('')
  if (text === undefined) return { sha256: shortHash(bytes) }
  if (type.startsWith('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text))
  return text === '' ? null : (parseJson(text) ?? text)
}

async function toPart([name, value]: [string, File | string]): Promise<unknown> {
  if (typeof value === 'string') return { name, value }
  return { name, file: value.name, type: value.type, sha256: shortHash(new Uint8Array(await value.arrayBuffer())) }
}

/** The responses that are not recorded: without access, and those after which clients retry. */
const NOT_RECORDED: ReadonlySet<number> = new Set([401, 403, 408, 409, 425, 429])

/** Returns whether a response is recorded. */
export function isRecordable({ status }: Response): boolean {
  return status < 500 && !NOT_RECORDED.has(status)
}

/** Records a call without its secrets, or returns null if its response is not recorded. */
export async function recordModelCall(
  request: Request,
  response: Response,
): Promise<{ readonly file: string; readonly recording: ModelRecording } | null> {
  if (!isRecordable(response)) return null
  const secrets = findSecrets(request)
  const recording = await toModelRecording(await toModelRequest(request, secrets), response, secrets)
  return { file: fileNameOf(recording), recording }
}

/** Records a response, after its last chunk. */
export async function toModelRecording(
  request: ModelRequest,
  response: Response,
  secrets: readonly string[],
): Promise<ModelRecording> {
  const pieces: Uint8Array[] = []
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) pieces.push(piece)
  const type = response.headers.get('content-type') ?? ''
  const head = { ...request, status: response.status, type }
  const texts = decodeText(pieces)
  if (texts === null)
    return { ...head, chunks: pieces.map((piece) => Buffer.from(piece).toString('base64')), encoding: 'base64' }
  const text = texts.join('')
  const value = /\bjson\b/.test(type) ? parseJson(text) : undefined
  if (typeof value === 'object' && value !== null) return { ...head, chunks: [hideSecrets(value, secrets)] }
  const chunks = texts.map((chunk) => hideText(chunk, secrets))
  // A secret may be split between two chunks.
  const whole = hideText(text, secrets)
  return { ...head, chunks: chunks.join('') === whole ? chunks : [whole] }
}

/** Decodes chunks of text, without splitting a character. Returns null if they are not UTF-8. */
function decodeText(pieces: readonly Uint8Array[]): string[] | null {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    const texts = pieces.map((piece) => decoder.decode(piece, { stream: true }))
    return [...texts, decoder.decode()].filter((text) => text !== '')
  } catch {
    return null // bytes that are not text
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Replaces secrets in a JSON value. The name `token` is also that of a part of a text. */
function hideSecrets(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return hideText(value, secrets)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => hideSecrets(item, secrets))
  const isHidden = (name: string, item: unknown): boolean =>
    typeof item === 'string' && name !== 'token' && isSecret(name, item)
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isHidden(name, item) ? HIDDEN : hideSecrets(item, secrets)]),
  )
}

function hideText(text: string, secrets: readonly string[]): string {
  return secrets.reduce((all, secret) => all.replaceAll(secret, HIDDEN), text)
}

/** Returns the key of a call. Equal requests have the same key, even if the times that they contain differ. */
export function keyOf({ method, path, model, body }: ModelRequest): string {
  return shortHash(JSON.stringify([method, path, toCanonical(model), toCanonical(body)]))
}

/** Sorts the names of all objects, and replaces times such as those of a new row. */
export function toCanonical(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z/g, '<time>')
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(toCanonical)
  const names = Object.keys(value).toSorted()
  return Object.fromEntries(names.map((name) => [name, toCanonical(Reflect.get(value, name))]))
}

/** Returns the name of the file for a call. */
export function fileNameOf(request: ModelRequest): string {
  const last = request.path.replace(/\?.*/, '').split('/').at(-1) ?? ''
  const label = `${request.host}-${last}`.toLowerCase().replaceAll(/[^a-z0-9.-]+|\.{2,}/g, '-')
  return `${label.slice(0, 80)}-${keyOf(request)}.json`
}

/** Parses the text of a recording, or throws a `TypeError` that names the file. */
export function parseRecording(text: string, file: string): ModelRecording {
  try {
    const value = JSON.parse(text) as ModelRecording
    const { method, host, path, status, type, chunks, encoding } = value
    assertField('method', typeof method === 'string')
    assertField('host', typeof host === 'string')
    assertField('path', typeof path === 'string' && path.startsWith('/'))
    assertField('encoding', encoding === undefined || encoding === 'base64')
    const isText = (chunk: unknown): boolean => typeof chunk === 'string'
    assertField('chunks', Array.isArray(chunks) && (chunks.every(isText) || (!encoding && chunks.length === 1)))
    assertField('type', typeof type === 'string')
    assertField('status', typeof status === 'number')
    toResponse(value) // throws if the status or the type is invalid
    keyOf(value) // throws if the body is nested too deeply
    return value
  } catch (cause) {
    const fix = 'delete the file, and record the call again with MODELS=record'
    throw new TypeError(`${file} is not a recorded model call: ${(cause as Error).message}; ${fix}`, { cause })
  }
}

function assertField(name: string, isValid: boolean): void {
  if (!isValid) throw new TypeError(`the field "${name}" is missing or invalid`)
}

/** Creates the recorded response. Its chunks have the same boundaries. */
export function toResponse({ status, type, chunks, encoding }: ModelRecording, signal?: AbortSignal): Response {
  const pieces = chunks.map((chunk) => {
    const text = typeof chunk === 'string' ? chunk : JSON.stringify(chunk)
    return new Uint8Array(Buffer.from(text, encoding ?? 'utf8'))
  })
  const rest = pieces.values()
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (signal?.aborted) return controller.error(signal.reason)
      const { done, value } = rest.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  return new Response(pieces.length === 0 ? null : body, {
    status,
    headers: type === '' ? {} : { 'content-type': type },
  })
}
