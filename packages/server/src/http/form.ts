import { refuse, tooLarge } from './refusal.ts'

/**
 * The fields and files of a form that was sent, as of an upload; more than `limit` bytes are not read and are 413, what is
 * no form is 415.
 * @example const form = await readForm(ctx.request, 5_000_000)
 */
export async function readForm(request: Request, limit: number): Promise<FormData> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^(multipart\/form-data|application\/x-www-form-urlencoded)\b/i.test(type))
    throw refuse('UNSUPPORTED_MEDIA_TYPE', 'send a form, with Content-Type: multipart/form-data', {
      headers: { accept: 'multipart/form-data, application/x-www-form-urlencoded' },
    })
  if (Number(request.headers.get('content-length')) > limit) throw tooLarge(limit)
  const bytes = await readBytes(request, limit)
  try {
    return await new Response(bytes, { headers: { 'content-type': type } }).formData()
  } catch (cause) {
    throw refuse('INVALID_REQUEST', 'the body is no form, or was cut off', { cause })
  }
}

/** Counted as they come: who sends no length, or a wrong one, fills no memory. */
async function readBytes(request: Request, limit: number): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const part of (request.body ?? []) as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    size += part.length
    if (size > limit) throw tooLarge(limit)
    parts.push(part)
  }
  return new Blob(parts)
}
