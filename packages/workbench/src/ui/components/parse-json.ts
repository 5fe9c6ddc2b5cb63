/** Parses JSON. Returns undefined, which JSON cannot represent, if the string is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
