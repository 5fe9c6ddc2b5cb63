import { build } from 'vite'
import { outputOf, quietLogger, tellWhere } from './bundle.ts'
import type { Config } from './config.ts'
import type { Project, WebSource } from './discover.ts'
import { pageFile } from './page.ts'
import { viteConfig } from './vite.ts'
import { finishWeb, type WebFile } from './web-files.ts'

/** Bundles the web app of a project, and compresses it. */
export async function bundleWeb(
  project: Project,
  { config, outDir }: { config: Config; outDir: string },
): Promise<WebFile[]> {
  const page = pageFile(project.web as WebSource)
  const output = await tellWhere(project.root, { file: page, route: '/' }, async () =>
    outputOf(
      await build({
        ...viteConfig(project, config.vite),
        customLogger: quietLogger(),
        build: { outDir, emptyOutDir: true, rolldownOptions: { input: page } },
      }),
    ),
  )
  // What comes from the public folder keeps its name, and so may change.
  const hashed = output.map(({ fileName }) => fileName).filter((name) => name !== 'index.html')
  return finishWeb(outDir, new Set(hashed))
}
