/** Plurals whose singular only drops the final `s`, although their ending suggests a different rule. */
const REGULAR = /(?:movies|cookies|zombies|calories|selfies|rookies|pies|ties|caches)$/i

/** Words whose singular and plural are the same, or that are not plural. */
const SAME = /(?:series|species|news|[ui]s|ss)$/i

/** Returns the singular of a resource name: `tasks` → `task`, `categories` → `category`, `boxes` → `box`. */
export function toSingular(name: string): string {
  if (SAME.test(name)) return name
  if (REGULAR.test(name)) return name.slice(0, -1)
  if (/[^aeiou]ies$/.test(name)) return `${name.slice(0, -3)}y`
  if (/(?:ss|x|zz|ch|sh|tus|bus)es$/.test(name)) return name.slice(0, -2)
  return /.s$/.test(name) ? name.slice(0, -1) : name
}

/** Splits a camelCase name into words: `todoItem` → `todo item`. */
export function toWords(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (capitals) => ` ${capitals.toLowerCase()}`)
}

/** Capitalizes the first letter of a name: `todoItem` → `TodoItem`. */
export function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
