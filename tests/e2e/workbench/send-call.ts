import type { Page } from '@sdk/test-kit'

/** Clicks a button of the workbench that sends a call, and returns the status of the response. */
export async function sendCall(page: Page, button: RegExp): Promise<number> {
  const isCall = (path: string): boolean => /^\/(?:agent|api)\//.test(path) && !path.endsWith('/openapi.json')
  const responded = page.waitForResponse((response) => isCall(new URL(response.url()).pathname))
  await page.getByRole('button', { name: button }).click()
  return (await responded).status()
}
