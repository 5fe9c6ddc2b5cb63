import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApp, createLog } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { readPage, ROOT } from './check/page.ts'
import { shownIn } from './shown.ts'

const PAGE = 'docs/guide/deploy.md'
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

describe('docs/guide/deploy.md', () => {
  it('shows the response of /readyz for a failing check, while /healthz returns 200', async () => {
    const checks = { tasks: () => false }
    const app = createApp({ checks, log: createLog({ level: 'silent' }) })
    const request = (path: string): Promise<Response> => app.fetch(new Request(`http://localhost${path}`))
    const ready = await request('/readyz')
    expect([ready.status, await ready.text()]).toEqual([503, shownIn(PAGE)[0]])
    expect((await request('/healthz')).status).toBe(200)
    await app.close()
  })

  it('shows only nginx settings that are in nginx.conf', () => {
    const whole = read('docs/guide/scale/nginx.conf')
    const shown = readPage(PAGE).blocks.find(({ language }) => language === 'nginx')?.text ?? ''
    const lines = [...shown.matchAll(/^ +(proxy_(?!pass)[^;]+;)/gm)].map(([, line]) => line ?? '')
    expect(lines.length).toBeGreaterThan(5)
    for (const line of lines) expect(whole).toContain(line)
  })

  it('mentions files that are in the template', () => {
    const folder = join(ROOT, 'packages/create/template/deploy')
    expect(
      ['Dockerfile', '.dockerignore', 'deploy/app.service'].filter((file) => !existsSync(join(folder, file))),
    ).toEqual([])
    expect(read('packages/create/template/deploy/deploy/app.service')).toContain('TimeoutStopSec=40')
  })
})
