/** Plurals that only lose their last letter, though their ending looks like one of those that lose more. */
const REGULAR = /(?:movies|cookies|zombies|calories|selfies|rookies|pies|ties|caches)$/i

/** Words that are their own plural, or none. */
const SAME = /(?:series|species|news|[ui]s|ss)$/i

/** What a resource is a list of: `tasks` → `task`, `categories` → `category`, `boxes` → `box`. */
export function toSingular(name: string): string {
  if (SAME.test(name)) return name
  if (REGULAR.test(name)) return name.slice(0, -1)
  if (/[^aeiou]ies$/.test(name)) return `${name.slice(0, -3)}y`
  if (/(?:ss|x|zz|ch|sh|tus|bus)es$/.test(name)) return name.slice(0, -2)
  return /.s$/.test(name) ? name.slice(0, -1) : name
}

/** A name in the words of a sentence: `todoItem` → `todo item`. */
export function toWords(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (capitals) => ` ${capitals.toLowerCase()}`)
}

/** A name as it stands within another: `todoItem` → `TodoItem`. */
export function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
