/** What tells one request body from another: SHA-256 of the JSON it says, whatever the order of its members. */
export function fingerprint(body: unknown): Promise<string> {
  return sha256(canonicalJson(body))
}

/** SHA-256, as 64 hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** One text for all ways to write the same JSON; empty for no body at all. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value).toSorted()
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(Reflect.get(value, name))}`).join(',')}}`
  }
  // `1e999` is read as Infinity, which JSON would write as null.
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? '')
}
