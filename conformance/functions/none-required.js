/** A patch may leave out every member, at every depth but inside lists. */
export default function noneRequired(schema) {
  return requiredIn(schema).map((name) => ({ message: `${name} must not be required in a patch` }))
}

function requiredIn({ properties = {}, required = [] }) {
  return [...required, ...Object.values(properties).flatMap((inner) => requiredIn(inner ?? {}))]
}
