/** `npm run docs`: builds and serves the documentation; `npm run docs -- build` only builds it. */
import { relative } from 'node:path'
import { parseArgs, styleText } from 'node:util'
import { buildSite } from '../docs/site/build.ts'
import { OUT } from '../docs/site/files.ts'
import { serveSite } from '../docs/site/serve.ts'

const { values, positionals } = parseArgs({
  options: { port: { type: 'string', default: '4000' }, base: { type: 'string', default: '/' } },
  allowPositionals: true,
})

async function build(): Promise<void> {
  const started = performance.now()
  const { pages, loose } = await buildSite({ base: values.base })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(styleText('dim', `${pages.length} pages in ${relative(process.cwd(), OUT)}, in ${seconds} s`))
  for (const link of loose) console.warn(`broken link: ${link}`)
}

await build()
if (positionals[0] !== 'build') {
  const rebuild = (): Promise<void> => build().catch((error: unknown) => console.error(error))
  const { url } = await serveSite({ port: Number(values.port), rebuild })
  console.log(`Documentation: ${url}`)
}
