/** Parses a text; undefined where it is not JSON, as no JSON text has this value. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
