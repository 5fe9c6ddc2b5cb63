import { createServer } from 'node:http'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { launchBrowser } from './browser.ts'
import { freePort } from './free-port.ts'
import { hasChromium } from './programs.ts'

describe.skipIf(!hasChromium())('launchBrowser', () => {
  it('opens a page and runs its script', async () => {
    const port = await freePort()
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<p></p><script>document.querySelector("p").textContent = 6 * 7</script>')
    }).listen(port, '127.0.0.1')
    await once(server, 'listening')
    const browser = await launchBrowser()
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${port}`)
    expect(await page.textContent('p')).toBe('42')
    await browser.close()
    server.close()
  })
})
