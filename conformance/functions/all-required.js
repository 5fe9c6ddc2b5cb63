/** Every member that an object may have is always there. */
export default function allRequired({ properties = {}, required = [] }) {
  return Object.keys(properties)
    .filter((name) => !required.includes(name))
    .map((name) => ({ message: `${name} must be required: what has no value is null` }))
}
