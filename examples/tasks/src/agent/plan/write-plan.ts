/** Stands in for a model: the same tasks always give the same words. Put your model here; the README says how. */
import type { OpenTask } from '../../api/tasks.ts'

interface Plan {
  name: string
  hours: number
  now: readonly OpenTask[]
  /** How many are left for another day. */
  later: number
}

/** The answer, a few letters at a time, as models give it. */
export function writePlan({ name, hours, now, later }: Plan): string[] {
  const [first, ...rest] = now
  const time = hours === 1 ? 'one hour' : `${hours} hours`
  const parts =
    first === undefined
      ? [`${name}, nothing is open that fits into ${time}. Enjoy it, or take one of these:`]
      : [
          `${name}, you have ${time}. Begin with “${first.title}”, while you are fresh.`,
          rest.length > 0 ? `Then: ${rest.map(({ title }) => title).join(', ')}.` : 'That is all for today.',
          later > 0 ? `${later} more can wait until tomorrow.` : 'Nothing is left over.',
        ]
  return parts.join('\n\n').match(/\s*\S+/g) ?? []
}

/** Tasks that would help with the first one, or to begin at all. */
export function suggestionsFor([first]: readonly OpenTask[]): { title: string; priority: number }[] {
  if (first === undefined) {
    return [
      { title: 'Take a walk', priority: 3 },
      { title: 'Write down what went well this week', priority: 2 },
    ]
  }
  return [
    { title: `Prepare what I need for: ${first.title}`.slice(0, 200), priority: 1 },
    { title: 'Take a break', priority: 3 },
  ]
}
