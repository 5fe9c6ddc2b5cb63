// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import { createFakeAuth, respond, startTestApp, Sdk } from './app.test.fixture.tsx'
import { AuthProvider } from './auth-provider.tsx'
import { offline, useOutbox } from './offline.ts'
import { SdkProvider } from './sdk-provider.tsx'
import { useAPI } from './use-api.ts'
import { useAuth } from './use-auth.ts'

const app = startTestApp()

// The queue is tested in a browser, in tests/e2e/offline.test.ts: there is no IndexedDB here.
describe('offline: true', () => {
  it('needs the prop of the provider, and says so', () => {
    const render = () => renderHook(() => useAPI('POST /a', { offline: true }), { wrapper: Sdk })
    expect(render).toThrow(new TypeError('offline must be used within <SdkProvider offline>'))
  })

  it('sends at once without a user or without the features of a secure context', async () => {
    app.routes['POST /a'] = respond(200, 'done')
    const auth = createFakeAuth()
    auth.become(null)
    const wrapper = ({ children }: { children: ReactNode }): ReactNode => (
      <AuthProvider source={auth}>
        <SdkProvider offline={offline}>{children}</SdkProvider>
      </AuthProvider>
    )
    const use = () => ({ send: useAPI('POST /a', { offline: true }), outbox: useOutbox(), auth: useAuth() })
    const { result } = renderHook(use, { wrapper, reactStrictMode: true })
    expect(await act(() => result.current.send.invoke({}))).toBe('done')
    act(() => auth.become('ada'))
    expect(await act(() => result.current.send.invoke({}))).toBe('done')
    expect(result.current.outbox.items).toEqual([])
    await act(() => result.current.outbox.retry())
    await act(() => result.current.auth.signOut())
    expect(result.current.auth.user).toBeNull()
  })
})
