/** A payload on its way: the body, and its type where the platform does not know it. */
export interface Body {
  body?: BodyInit
  contentType?: string
}

/** What a payload is on the wire: forms, blobs, bytes and streams of bytes as they are, nothing for undefined, JSON for all else. */
export function toBody(input: unknown): Body {
  if (input === undefined) return {}
  if (input instanceof FormData || input instanceof Blob || input instanceof URLSearchParams) return { body: input }
  if (input instanceof ArrayBuffer || ArrayBuffer.isView(input) || input instanceof ReadableStream)
    return { body: input as BodyInit, contentType: 'application/octet-stream' }
  const body = JSON.stringify(input)
  if (body === undefined) throw new TypeError(`a payload must be JSON, a form, a blob or bytes, got ${typeof input}`)
  return { body, contentType: 'application/json' }
}
