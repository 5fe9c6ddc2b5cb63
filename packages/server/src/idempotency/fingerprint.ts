/** Returns the fingerprint of a request body: the SHA-256 hash of its JSON, regardless of member order. */
export function fingerprint(body: unknown): Promise<string> {
  return sha256(canonicalJson(body))
}

/** Returns the SHA-256 hash of a string, as 64 hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Serializes a value as JSON with sorted members, so that equal values produce equal strings. Returns an empty string
 * for undefined, which means that there is no body.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value).toSorted()
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(Reflect.get(value, name))}`).join(',')}}`
  }
  // `1e999` is parsed as Infinity, which `JSON.stringify` would write as null.
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? '')
}
