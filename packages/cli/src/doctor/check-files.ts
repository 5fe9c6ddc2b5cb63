import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { dependenciesOf } from '../manifest.ts'
import { findUnreadFiles } from '../unread-files.ts'
import { toFindings, type DoctorCheck, type Finding } from './finding.ts'

/** Checks that the project has a web app if it has a `src/web` folder or depends on `@sdk/react`. */
export const checkWeb: DoctorCheck = ({ root, project, manifest }) => {
  if (project.web !== null) return []
  const hasFolder = existsSync(join(root, 'src/web'))
  if (!hasFolder && dependenciesOf(manifest)['@sdk/react'] === undefined) return []
  return toFindings('WEB_MISSING', hasFolder ? 'error' : 'warning', {
    message: hasFolder
      ? 'src/web has neither index.tsx nor index.html, so no page is served'
      : '@sdk/react is installed, but src/web does not contain a web app',
    place: 'src/web',
    fix: 'add src/web/index.tsx and render the app into the #root element',
  })
}

/** Checks that the web app has a provider for each hook that it uses. The order of the providers does not matter. */
export const checkProviders: DoctorCheck = ({ root, project }) => {
  if (project.web === null) return []
  const files = sourcesIn(project.web.folder)
  const has = (pattern: RegExp): boolean => files.some(({ text }) => pattern.test(text))
  const missing = (hook: RegExp, provider: string, effect: string): Finding[] => {
    const user = files.find(({ text }) => hook.test(text))
    if (user === undefined || has(new RegExp(`<${provider}\\b`))) return []
    return toFindings('PROVIDER_MISSING', 'error', {
      message: `a hook is used without <${provider}>: ${effect}`,
      place: relative(root, user.file),
      fix: `wrap the app in <${provider}> in src/web/index.tsx`,
    })
  }
  return [
    ...missing(/\buse(?:API|Websocket|Pages)\s*[(<]/, 'SdkProvider', 'the hook throws'),
    ...missing(/\buseAuth\s*\(/, 'AuthProvider', 'no user is ever signed in'),
  ]
}

/** Checks that agents and routers are in the places that are read. */
const checkUnreadFiles: DoctorCheck = ({ root }) =>
  findUnreadFiles(root).map((found) => ({ code: 'FILE_NOT_READ', level: 'warning', ...found }))

/** Checks that git ignores `.sdk`, which contains the development database and secrets. */
export const checkIgnored: DoctorCheck = ({ root }) => {
  if (isIgnored(root)) return []
  return toFindings('SDK_NOT_IGNORED', 'error', {
    message: 'git does not ignore .sdk, which contains the development database and secrets',
    place: '.gitignore',
    fix: 'add the line .sdk/ to .gitignore',
    repair: () => addLine(join(root, '.gitignore'), '.sdk/'),
  })
}

function isIgnored(root: string): boolean {
  const { status } = spawnSync('git', ['check-ignore', '--quiet', '.sdk/data'], { cwd: root, stdio: 'ignore' })
  if (status === 0 || status === 1) return status === 0
  const file = join(root, '.gitignore') // there is no repository yet, or git is not installed
  return !existsSync(file) || /^\/?\.sdk\/?\s*$/m.test(readFileSync(file, 'utf8'))
}

function addLine(file: string, line: string): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  appendFileSync(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`)
}

/** Reads source files recursively, including those in linked folders. Each folder is read once: links may be cyclic. */
function sourcesIn(folder: string, seen = new Set<string>()): { file: string; text: string }[] {
  const real = realpathSync(folder)
  if (seen.has(real)) return []
  seen.add(real)
  return readdirSync(folder).flatMap((name) => {
    const file = join(folder, name)
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats?.isDirectory()) return sourcesIn(file, seen)
    return stats?.isFile() && /\.[jt]sx?$/.test(name) ? [{ file, text: readFileSync(file, 'utf8') }] : []
  })
}

/** All file checks, except the one for `tsconfig.json`. */
export const fileChecks: readonly DoctorCheck[] = [checkWeb, checkProviders, checkUnreadFiles, checkIgnored]
