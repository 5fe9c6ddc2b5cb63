/** Parses a text; returns undefined if it is not JSON, since no JSON text has this value. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
