import { defineTestsOfAppModels } from '../support/define-tests-of-app-models.js';

defineTestsOfAppModels('users');
