import { parseJson } from '../../components/parse-json.ts'
import { responseHeader, joinChunks, recordingSize, type StreamRecording } from './recording.ts'
import { detectFraming, resplit } from './resplit.ts'

/** The maximum number of bytes shown. The complete output can be downloaded. */
export const MAX_OUTPUT_SHOWN = 200_000

/** The maximum number of bytes that are parsed for display. */
const MAX_TREE = 1_000_000

/** The content of a response body, by its kind. */
export type Output =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'chunks'; readonly values: readonly unknown[] }
  | { readonly kind: 'text' }
  | { readonly kind: 'binary' }

/** Reads a response according to its content type. `known` is the output as parsed by the client, if available. */
export function toOutput(recording: StreamRecording, known?: unknown): Output {
  const size = recordingSize(recording)
  if (size === 0) return { kind: 'nothing' }
  const type = responseHeader(recording, 'content-type') ?? ''
  const framing = detectFraming(recording)
  if (framing === 'ndjson' || framing === 'sse') {
    const values: readonly unknown[] | null = Array.isArray(known) ? known : null
    return { kind: 'chunks', values: values ?? resplit(recording, framing).chunks.map(({ value }) => value) }
  }
  if (/json\b/i.test(type) && known !== undefined) return { kind: 'value', value: known }
  const parsed = /json\b/i.test(type) && size <= MAX_TREE ? parseJson(toOutputText(recording, Infinity)) : undefined
  if (parsed !== undefined) return { kind: 'value', value: parsed }
  // JSON that is truncated, incomplete or too large is shown as text.
  if (/json|text|xml|javascript|urlencoded/i.test(type) || type === '') return { kind: 'text' }
  return { kind: 'binary' }
}

/** Returns at most `limit` bytes of the response as text. */
export function toOutputText(recording: StreamRecording, limit: number = MAX_OUTPUT_SHOWN): string {
  return new TextDecoder().decode(joinChunks(recording.chunks, limit))
}

/** Joins the values if all are strings, otherwise returns null. */
export function joinTexts(values: readonly unknown[]): string | null {
  return values.length > 0 && values.every((value) => typeof value === 'string') ? values.join('') : null
}

/** Returns the file name for downloading a response. */
export function fileNameOf(recording: StreamRecording, route: string): string {
  const type = responseHeader(recording, 'content-type')?.split(';', 1)[0]?.trim() ?? ''
  const endings: Readonly<Record<string, string>> = {
    'application/json': 'json',
    'application/x-ndjson': 'ndjson',
    'text/plain': 'txt',
    'text/html': 'html',
  }
  const [, known] =
    /^(?:application|audio|image|video)\/(gif|jpeg|mp4|mpeg|pdf|png|svg|wav|webm|webp|zip)\b/.exec(type) ?? []
  const ending = endings[type] ?? known ?? (type.startsWith('text/') ? 'txt' : 'bin')
  return `${route.replaceAll(/[^\w]+/g, '-').replaceAll(/^-|-$/g, '')}.${ending}`
}
