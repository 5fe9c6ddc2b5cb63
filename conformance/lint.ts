import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { BREAKAGES, breakDocument } from './breakages.ts'
import { CACHE, FOLDER, runTool, type Verdict } from './tools.ts'

const DOCUMENTS = ['.cache/openapi-v1.json', '.cache/openapi-v2.json'] as const

/** Our own rules on our own documents. */
export function lintApi(): Promise<Verdict> {
  return lint('api.spectral.yaml')
}

/** The rules of OWASP and Zalando, and whether every waiver is explained. */
export async function lintOthers(): Promise<Verdict> {
  const { summary, faults } = await lint('others.spectral.yaml')
  return { summary, faults: [...faults, ...(await unexplained())] }
}

/** Do our rules find anything? Each gets a document that breaks it. */
export async function lintBroken(): Promise<Verdict> {
  const rules = await rulesOf('api.spectral.yaml', false)
  const document = JSON.parse(await readFile(join(CACHE, 'openapi-v2.json'), 'utf8')) as object
  const folder = join(CACHE, 'broken')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const [rule, breakage] of Object.entries(BREAKAGES))
    await writeFile(join(folder, `${rule}.json`), JSON.stringify(breakDocument(document, breakage)))
  // Without the rules of Spectral itself, which take most of the time.
  const ruleset = await readFile(join(FOLDER, 'api.spectral.yaml'), 'utf8')
  await writeFile(
    join(CACHE, 'broken.spectral.yaml'),
    ruleset.replace(/^extends:.*$/m, 'functionsDir: ../functions').replace(/^ {2}\S+: off$/gm, ''),
  )
  const found = await findings('.cache/broken.spectral.yaml', ['.cache/broken/*.json'])
  const fired = new Set(found.map(({ code, source }) => `${code} ${basename(source)}`))
  return {
    summary: `${rules.length} rules, each on a document that breaks it`,
    faults: [
      ...rules.filter((rule) => !(rule in BREAKAGES)).map((rule) => `${rule}: breakages.ts does not break it`),
      ...Object.keys(BREAKAGES)
        .filter((rule) => !fired.has(`${rule} ${rule}.json`))
        .map((rule) => `${rule}: does not see what breaks it`),
    ],
  }
}

/** What Redocly says of the documents, and of the workflow. */
export async function lintRedocly(): Promise<Verdict> {
  const files = [...DOCUMENTS, 'crud.arazzo.yaml']
  const { code, output } = await runTool('redocly', `lint ${files.join(' ')} --config redocly.yaml`)
  return { summary: `${files.length} files, strict`, faults: code === 0 ? [] : [output.trim()] }
}

interface Finding {
  readonly code: string
  readonly message: string
  readonly path: readonly (string | number)[]
  readonly source: string
}

async function lint(ruleset: string): Promise<Verdict> {
  const found = await findings(ruleset, DOCUMENTS)
  return {
    summary: `${DOCUMENTS.length} documents, ${found.length} findings`,
    faults: found.map(
      ({ code, message, path, source }) => `${basename(source)} ${path.join('.')}: ${message} (${code})`,
    ),
  }
}

/** All that a ruleset finds, hints included. */
async function findings(ruleset: string, files: readonly string[]): Promise<readonly Finding[]> {
  const report = join(CACHE, `${basename(ruleset)}.json`)
  await rm(report, { force: true })
  const names = files.map((file) => `'${file}'`).join(' ')
  const { output } = await runTool('spectral', `lint ${names} -q -r ${ruleset} -f json -o '${report}' -D hint`)
  const text = await readFile(report, 'utf8').catch(() => {
    throw new Error(`spectral wrote no report: ${output}`)
  })
  return JSON.parse(text) as Finding[]
}

/** The rules that a file names, by whether it switches them off. */
async function rulesOf(file: string, isOff: boolean): Promise<string[]> {
  const text = await readFile(join(FOLDER, file), 'utf8')
  const [, rules = ''] = text.split(/^rules:$/m)
  const named = Array.from(rules.matchAll(/^ {2}([a-z].*?):(?= |$)( off$)?/gm))
  return named.filter(([, , off]) => (off !== undefined) === isOff).map(([, rule = '']) => rule)
}

/** Rules that are off without a reason, and reasons for rules that are not. */
async function unexplained(): Promise<string[]> {
  const files = ['api.spectral.yaml', 'others.spectral.yaml', 'redocly.yaml']
  const off = new Set((await Promise.all(files.map((file) => rulesOf(file, true)))).flat())
  const page = await readFile(join(FOLDER, 'waivers.md'), 'utf8')
  const explained = new Set(Array.from(page.matchAll(/^\| `([^`]+)` *\| .+\. *\|$/gm), ([, rule = '']) => rule))
  return [
    ...[...off].filter((rule) => !explained.has(rule)).map((rule) => `${rule}: off, but waivers.md does not say why`),
    ...[...explained].filter((rule) => !off.has(rule)).map((rule) => `${rule}: waivers.md excuses what is not off`),
  ]
}
