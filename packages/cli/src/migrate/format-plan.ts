import { isPending, type ProjectPlan, type TableChange } from './project-plan.ts'

/** Formats a plan as SQL. Comments describe each change, whether its steps are safe, and any open question. */
export function formatPlan(plan: ProjectPlan): string[] {
  const unmanaged = plan.unmanaged.map(
    (name) => `-- ${name}: not stored with table(); drizzleTable, Prisma and custom stores manage their own migrations`,
  )
  const files = plan.files.map(({ name, steps }) => {
    const count = `${steps} pending ${steps === 1 ? 'step' : 'steps'}`
    return `-- migrations/${name}: ${count}, which sdk start will apply`
  })
  return [
    ...(files.length === 0 ? [] : [...files, '']),
    ...plan.changes.flatMap((change) => [...formatChange(change), '']),
    ...unmanaged,
    `-- ${toSummary(plan)}`,
  ]
}

function formatChange({ table, what, why, question, steps }: TableChange): string[] {
  const lines = [`-- ${table}: ${what}${why === null ? '' : `: ${why}`}`]
  if (question !== undefined) lines.push(...formatQuestion(question))
  let last = ''
  for (const { sql, judgement, mode } of steps) {
    const comment = `-- ${judgement}${MODE_COMMENTS[mode]}`
    if (comment !== last) lines.push(comment)
    last = comment
    lines.push(`${sql};`)
  }
  return lines
}

/** Formats a question and its alternatives as SQL comments. */
export function formatQuestion({ text, alternative }: NonNullable<TableChange['question']>): string[] {
  return [`-- ${text}`, ...alternative.map((line) => `--   ${line}`)]
}

const MODE_COMMENTS = { transaction: '', 'no transaction': ', no transaction', batches: ', in batches' } as const

function toSummary(plan: ProjectPlan): string {
  const count = (wanted: TableChange['kind']): number => plan.changes.filter(({ kind }) => kind === wanted).length
  const [automatic, needed, cleanup] = [count('automatic'), count('needed'), count('cleanup')]
  const unused = cleanup === 0 ? '' : `; optional cleanup changes: ${cleanup}`
  if (!isPending(plan)) return `nothing to do: the database matches the schemas${unused}`
  const parts = [
    ...(plan.files.length === 0 ? [] : [`${plan.files.length} in migration files`]),
    ...(automatic === 0 ? [] : [`${automatic} that sdk start applies automatically`]),
    ...(needed === 0 ? [] : [`${needed} that must be applied first`]),
  ]
  return `pending changes: ${parts.join(', ')}${unused}`
}
