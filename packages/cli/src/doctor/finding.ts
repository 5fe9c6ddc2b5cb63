import type { CliCode } from '../failure.ts'
import type { Project } from '../discover.ts'
import type { PackageManifest } from '../manifest.ts'

/** A problem of a project. */
export interface Finding {
  readonly code: CliCode
  /** `error`: it does not work; `warning`: it may fail; `note`: required for production. */
  readonly level: 'error' | 'warning' | 'note'
  /** The problem, and why it matters. */
  readonly message: string
  /** The file, package or variable. */
  readonly place: string
  readonly fix: string
  /** Applies the fix, if that is safe. */
  readonly repair?: () => void
}

/** Input of the checks. */
export interface CheckContext {
  readonly root: string
  readonly project: Project
  readonly manifest: PackageManifest
  readonly env: NodeJS.ProcessEnv
  /** The variables with the env files of production, for checks of production. */
  readonly productionEnv: NodeJS.ProcessEnv
}

/** Returns a list with one finding. */
export function toFindings(
  code: Finding['code'],
  level: Finding['level'],
  rest: Pick<Finding, 'message' | 'place' | 'fix' | 'repair'>,
): Finding[] {
  return [{ code, level, ...rest }]
}

/** A check of a project. */
export type DoctorCheck = (facts: CheckContext) => readonly Finding[] | Promise<readonly Finding[]>
