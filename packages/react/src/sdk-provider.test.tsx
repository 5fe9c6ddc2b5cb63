// @vitest-environment happy-dom
import { createHttpClient } from '@sdk/frontend'
import { render, renderHook, waitFor } from '@testing-library/react'
import { renderToString } from 'react-dom/server'
import type { ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import { respond, startTestApp } from './app.test.fixture.tsx'
import { AuthProvider } from './auth-provider.tsx'
import { SdkProvider } from './sdk-provider.tsx'
import { useSdk } from './sdk-context.ts'
import { useAPI } from './use-api.ts'
import { useAuth } from './use-auth.ts'
import { useWebsocket } from './use-websocket.ts'

const app = startTestApp()

describe('SdkProvider', () => {
  it('uses the origin of the page, baseUrl or a client of the app', async () => {
    app.routes['*'] = respond(200, 1)
    const call = async (provider: (children: ReactNode) => ReactNode): Promise<void> => {
      const { result } = renderHook(() => useSdk(), { wrapper: ({ children }) => provider(children) })
      await result.current.client.call('GET /a')
    }
    await call((children) => <SdkProvider>{children}</SdkProvider>)
    await call((children) => <SdkProvider baseUrl={`${app.url}/base`}>{children}</SdkProvider>)
    const client = createHttpClient({ baseUrl: `${app.url}/client` })
    await call((children) => <SdkProvider client={client}>{children}</SdkProvider>)
    expect(app.requests).toEqual(['GET /a', 'GET /base/a', 'GET /client/a'])
  })

  it('never shows the data of one server for another server', async () => {
    app.routes['GET /one/a'] = respond(200, 'one')
    app.routes['GET /two/a'] = respond(200, 'two')
    const Name = (): ReactNode => useAPI('GET /a').data as string
    const { container } = render(
      <SdkProvider baseUrl={`${app.url}/one`}>
        <Name />,
        <SdkProvider baseUrl={`${app.url}/two`}>
          <Name />
        </SdkProvider>
      </SdkProvider>,
    )
    await waitFor(() => expect(container.textContent).toBe('one,two'))
  })

  it('is required by hooks, which throw a clear error', () => {
    expect(() => renderHook(() => useAPI('GET /a'))).toThrow('must be used within <SdkProvider>')
  })

  it('promise 19: sends no request and opens no socket on a server', () => {
    const Page = (): ReactNode => {
      const { isLoading } = useAPI('GET /a')
      const { readyState } = useWebsocket('/ws/a')
      return `${isLoading} ${readyState} ${useAuth().authLoading}`
    }
    const html = renderToString(
      <AuthProvider>
        <SdkProvider baseUrl={app.url}>
          <Page />
        </SdkProvider>
      </AuthProvider>,
    )
    expect(html).toBe('true 0 true')
    expect(app.requests).toEqual([])
  })
})
