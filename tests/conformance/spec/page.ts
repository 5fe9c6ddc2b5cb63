// Imported first: React and its cache check once whether there is a DOM.
import { goTo, leave } from './window.ts'
import { AuthProvider, SdkProvider } from '@sdk/react'
import { act, cleanup, configure, renderHook, waitFor } from '@testing-library/react'
import { createElement, type ReactNode } from 'react'

configure({ asyncUtilTimeout: 20_000 })

interface Children {
  children: ReactNode
}

/** A page of an app without users. */
export function Public({ children }: Children): ReactNode {
  return createElement(SdkProvider, null, children)
}

/** A page of an app with users. */
export function Guarded({ children }: Children): ReactNode {
  return createElement(AuthProvider, null, createElement(SdkProvider, null, children))
}

export { act, cleanup, goTo, leave, renderHook, waitFor }
