/** Simulates a model: the same tasks always produce the same text. The README explains how to use a real model. */
import type { OpenTask } from '../../api/tasks.ts'

interface Plan {
  name: string
  hours: number
  now: readonly OpenTask[]
  /** The number of tasks that are left for another day. */
  later: number
}

/** Returns the response in small chunks, as models do. */
export function writePlan({ name, hours, now, later }: Plan): string[] {
  const [first, ...rest] = now
  const time = hours === 1 ? 'one hour' : `${hours} hours`
  const parts =
    first === undefined
      ? [`${name}, none of your open tasks fits into ${time}. Enjoy the time, or pick one of these:`]
      : [
          `${name}, you have ${time}. Start with “${first.title}”, while you are fresh.`,
          rest.length > 0 ? `Then: ${rest.map(({ title }) => title).join(', ')}.` : 'That is all for today.',
          later > 0 ? `${later} more can wait until tomorrow.` : 'Nothing is left over.',
        ]
  return parts.join('\n\n').match(/\s*\S+/g) ?? []
}

/** Suggests tasks that help with the first one, or a task to start with. */
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
