import { z } from 'zod';
import { defineParameters } from '../../infra/http/parameters.js';

/** Schema of the request parameters of web pages that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

/** Fields of the form that requests a password reset link. */
export const passwordResetRequestParameters = defineParameters(z.object({ email: z.string().trim().max(1000) }));

/** Fields of the form that sets a new password. */
export const newPasswordParameters = defineParameters(z.object({ password: z.string().max(1000) }));

/** Schema of the path parameters in the URL of a password reset link. */
export const resetPathParameters = z.object({ token: z.string() });
