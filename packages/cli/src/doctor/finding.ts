import type { CliCode } from '../failure.ts'
import type { Project } from '../discover.ts'
import type { PackageManifest } from '../manifest.ts'

/** Something that is wrong with a project, or will be. */
export interface Finding {
  readonly code: CliCode
  /** `error`: it does not work; `warning`: it may not; `note`: to do before production. */
  readonly level: 'error' | 'warning' | 'note'
  /** The problem, and why it matters. */
  readonly message: string
  /** The file, package or variable. */
  readonly place: string
  readonly fix: string
  /** Makes the fix, where that is safe. */
  readonly repair?: () => void
}

/** Input of the checks. */
export interface CheckContext {
  readonly root: string
  readonly project: Project
  readonly manifest: PackageManifest
  readonly env: NodeJS.ProcessEnv
  /** The same with the env files of production, for what only production needs. */
  readonly productionEnv: NodeJS.ProcessEnv
}

/** Returns the findings of a check that found one thing. */
export function toFindings(
  code: Finding['code'],
  level: Finding['level'],
  rest: Pick<Finding, 'message' | 'place' | 'fix' | 'repair'>,
): Finding[] {
  return [{ code, level, ...rest }]
}

/** Looks at one thing. */
export type DoctorCheck = (facts: CheckContext) => readonly Finding[] | Promise<readonly Finding[]>
