import { join } from 'node:path'
import type { Command } from './command.ts'
import { findProject } from '../discover.ts'
import { EXIT, Failure } from '../failure.ts'
import { loadOrFail } from '../load/load-once.ts'
import { formatPlan } from '../migrate/format-plan.ts'
import { isPending, planProject, type ProjectPlan } from '../migrate/project-plan.ts'
import { assertMigrationName, selectSteps, writeMigration } from '../migrate/write-migration.ts'
import { assertDatabaseExists, databaseUrl } from '../sql/query-database.ts'

/** The `sdk migrate` command. */
export const migrateCommand: Command = {
  summary: 'prints the SQL for pending schema changes',
  mode: 'development',
  options: {
    check: { summary: `exits with code ${EXIT.pending} if changes are pending, for CI` },
    write: {
      value: 'name',
      summary: 'writes migrations/0001-<name>.sql with the statements that are safe while the old version is running',
    },
    finish: { summary: 'with --write, also writes the statements that require the old version to be stopped' },
    json: { summary: 'prints the plan, or the written file, as JSON' },
  },
  examples: [
    'sdk migrate',
    'DATABASE_URL=postgres://… sdk migrate --check',
    'sdk migrate --write add-language',
    'sdk migrate --write drop-old-columns --finish',
  ],
  async run({ cwd, terminal, has, text }) {
    const project = findProject(cwd)
    const name = text('write')
    if (name !== undefined) assertMigrationName(name)
    assertDatabaseExists(project.root, databaseUrl())
    process.chdir(project.root) // the path of an embedded database is relative to the project
    const { router } = await loadOrFail(project, terminal)
    const folder = join(project.root, 'migrations')
    const plan = await planProject(router, { folder, from: join(project.root, 'package.json') })
    if (name !== undefined) {
      const { file, left } = writePlan(plan, { folder, name, isFinishing: has('finish') })
      const lines = [`migrations/${file} written: review and commit it; sdk start and sdk dev apply it`]
      if (left > 0) lines.push(`statements left to write with --finish, after the old version has stopped: ${left}`)
      return terminal.out(has('json') ? JSON.stringify({ file: `migrations/${file}`, left }) : lines.join('\n'))
    }
    if (has('json')) terminal.out(JSON.stringify(plan, null, 2))
    else for (const line of formatPlan(plan)) terminal.out(line)
    return has('check') && isPending(plan) ? EXIT.pending : EXIT.ok
  },
}

function writePlan(
  plan: ProjectPlan,
  { folder, name, isFinishing }: { folder: string; name: string; isFinishing: boolean },
): { file: string; left: number } {
  const [pending] = plan.files
  if (pending !== undefined)
    throw new Failure(`migrations/${pending.name} has not been applied to this database, so the plan may repeat it`, {
      code: 'NOTHING_TO_WRITE',
      fix: 'apply it with sdk start or sdk dev, or delete it',
    })
  const [steps, all] = [selectSteps(plan, isFinishing), selectSteps(plan, true)]
  const left = all.length - steps.length
  if (steps.length > 0) return { file: writeMigration(folder, name, steps), left }
  const isBlocked = left > 0
  throw new Failure(isBlocked ? 'all statements require the old version to be stopped' : 'there is nothing to write', {
    code: 'NOTHING_TO_WRITE',
    fix: isBlocked ? `stop it, then run sdk migrate --write ${name} --finish` : 'run sdk migrate to see the plan',
  })
}
