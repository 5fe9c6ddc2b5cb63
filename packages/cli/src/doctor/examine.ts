import { discover } from '../discover.ts'
import { loadEnvFiles } from '../env-files.ts'
import { readManifest } from '../manifest.ts'
import { environmentChecks } from './check-environment.ts'
import { fileChecks } from './check-files.ts'
import { checkModules } from './check-modules.ts'
import { packageChecks } from './check-packages.ts'
import { checkTsconfig } from './check-tsconfig.ts'
import type { CheckContext, Finding } from './finding.ts'

/** Runs all checks on a project and returns the findings, errors first. */
export async function examine(root: string, env: NodeJS.ProcessEnv = process.env): Promise<Finding[]> {
  const productionEnv = { ...env }
  loadEnvFiles(root, 'production', productionEnv)
  const context: CheckContext = { root, project: discover(root), manifest: readManifest(root), env, productionEnv }
  const checks = [...packageChecks, ...fileChecks, checkTsconfig, checkModules, ...environmentChecks]
  const findings: Finding[] = []
  for (const check of checks) findings.push(...(await check(context)))
  const order = ['error', 'warning', 'note']
  return findings.toSorted((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
}
