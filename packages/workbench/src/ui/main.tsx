import './base.css'
import { AuthProvider, SdkProvider } from '@sdk/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { createWorkbenchClient } from './data/client.ts'
import { identitySource } from './data/identity.ts'
import { followSystem } from './settings/theme.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no element with the id "root"')

followSystem()
createRoot(root).render(
  <StrictMode>
    <AuthProvider source={identitySource}>
      <SdkProvider client={createWorkbenchClient()}>
        <App />
      </SdkProvider>
    </AuthProvider>
  </StrictMode>,
)
