import { buildProject, type BuildOptions, type BuildResult } from '../build/build-project.ts'
import { TARGETS, type Target } from '../build/server-entry.ts'
import { toBuildReport } from '../build/build-report.ts'
import { assertRunsOnWorkers, writeWranglerConfig } from '../build/wrangler-config.ts'
import type { Command } from './command.ts'
import { findProject } from '../discover.ts'
import { usageFailure } from '../failure.ts'
import { loadOrFail } from '../load/load-once.ts'
import { readConfig } from '../read-config.ts'
import { writeRouteTypes } from '../route-types/route-types.ts'
import type { Terminal } from '../terminal.ts'

/** The `sdk build` command. */
export const buildCommand: Command = {
  summary: 'builds dist/server and dist/web for production',
  mode: 'production',
  options: {
    target: { value: 'platform', summary: 'the platform of the server: node, bun, deno or workers (default: node)' },
    json: { summary: 'prints the build result as JSON' },
  },
  examples: ['sdk build', 'sdk build --target workers', 'sdk build --json'],
  async run({ cwd, terminal, has, text }) {
    const target = parseTarget(text('target'))
    const { out, paint } = terminal
    // Overrides any value from the shell. Otherwise, React's development code could be bundled.
    process.env['NODE_ENV'] = 'production'
    const step = process.stdout.isTTY && !has('json') ? createStepReporter(terminal) : runWithoutReport
    const project = findProject(cwd)
    const { app, pointers } = await step('project', () => loadOrFail(project, terminal))
    writeRouteTypes({ project, routes: app.routes, pointers })
    if (target === 'workers') assertRunsOnWorkers(app)
    const built = await buildProject(project, { config: await readConfig(project.root), target, step })
    const isNew = target === 'workers' && writeWranglerConfig(project)
    if (has('json')) return out(JSON.stringify(toBuildJson(built), null, 2))
    for (const line of toBuildReport(built, paint)) out(line)
    if (isNew) out(paint.dim('  created wrangler.jsonc'))
    out(paint.dim(`  built in ${Math.round(process.uptime() * 1000)} ms; run it with ${RUN_WITH[target]}`))
  },
}

const RUN_WITH: Readonly<Record<Target, string>> = {
  node: 'sdk start',
  bun: 'bun dist/server/index.js',
  deno: 'deno run -A dist/server/index.js',
  workers: 'npx wrangler dev, and deploy it with npx wrangler deploy',
}

function parseTarget(text = 'node'): Target {
  const target = TARGETS.find((one) => one === text)
  if (target === undefined) {
    const message = `--target must be ${TARGETS.join(', ')}, got ${JSON.stringify(text)}`
    throw usageFailure(message, 'run sdk build --target bun, for example')
  }
  return target
}

type BuildStep = NonNullable<BuildOptions['step']>

const runWithoutReport: BuildStep = (_, work) => work()

function createStepReporter({ write, paint }: Terminal): BuildStep {
  return async (title, work) => {
    const started = performance.now()
    write(paint.dim(`  … ${title}`))
    try {
      const result = await work()
      write(`\r\u001B[K  ${paint.green('✓')} ${title} ${paint.dim(`${Math.round(performance.now() - started)} ms`)}\n`)
      return result
    } catch (error) {
      write('\r\u001B[K')
      throw error
    }
  }
}

function toBuildJson({ serverSize, externals, web }: BuildResult): object {
  return { serverSize, externals, web: web.map(({ name, sizes }) => ({ name, ...sizes })) }
}
