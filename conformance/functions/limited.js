/** Every string, number and list says how large it may be. */
export default function limited(schema) {
  const types = [schema.type].flat()
  const wanted = types.flatMap((type) => KEYWORDS[type] ?? [])
  return wanted
    .filter((keyword) => schema[keyword] === undefined)
    .map((keyword) => ({ message: `A schema of type ${types.join(' or ')} needs ${keyword}` }))
}

const KEYWORDS = {
  string: ['maxLength', 'pattern'],
  integer: ['minimum', 'maximum', 'format'],
  number: ['format'],
  array: ['maxItems'],
}
