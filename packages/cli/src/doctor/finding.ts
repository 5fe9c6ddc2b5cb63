import type { CliCode } from '../failure.ts'
import type { Project } from '../discover.ts'
import type { PackageManifest } from '../manifest.ts'

/** A problem in a project. */
export interface Finding {
  readonly code: CliCode
  /** The severity: `error` if something does not work, `warning` if it may fail, `note` for production requirements. */
  readonly level: 'error' | 'warning' | 'note'
  /** The problem, and why it matters. */
  readonly message: string
  /** The file, package or variable that has the problem. */
  readonly place: string
  readonly fix: string
  /** Applies the fix. Set only if it is safe to do so automatically. */
  readonly repair?: () => void
}

/** The input for the checks. */
export interface CheckContext {
  readonly root: string
  readonly project: Project
  readonly manifest: PackageManifest
  readonly env: NodeJS.ProcessEnv
  /** The environment with the production env files applied, for production checks. */
  readonly productionEnv: NodeJS.ProcessEnv
}

/** Returns an array with one finding. */
export function toFindings(
  code: Finding['code'],
  level: Finding['level'],
  rest: Pick<Finding, 'message' | 'place' | 'fix' | 'repair'>,
): Finding[] {
  return [{ code, level, ...rest }]
}

/** A check that `sdk doctor` runs on a project. */
export type DoctorCheck = (facts: CheckContext) => readonly Finding[] | Promise<readonly Finding[]>
