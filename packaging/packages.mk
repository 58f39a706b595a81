# Packages and other languages: a part of the Makefile. The lists of needs have the same format as there.

# The tools that build the package for Python, with Debian's interpreter; and what its tests need in addition.
PYTHON = /usr/bin/python3
PYTHON_NEEDS = \
    python3-dev=file:/usr/include/python3.*/Python.h \
    python3-setuptools=file:/usr/lib/python3/dist-packages/setuptools \
    python3-wheel=file:/usr/lib/python3/dist-packages/wheel \
    python3-pip=file:/usr/lib/python3/dist-packages/pip
PYTHON_TEST_NEEDS = \
    python3-venv=file:/usr/lib/python3.*/ensurepip \
    python3-build=file:/usr/lib/python3/dist-packages/build \
    python3-numpy=file:/usr/lib/python3/dist-packages/numpy \
    python3-pandas=file:/usr/lib/python3/dist-packages/pandas \
    python3-pytest=file:/usr/lib/python3/dist-packages/pytest

# Only for `make test-notebook`.
NOTEBOOK_NEEDS = \
    python3-numpy=file:/usr/lib/python3/dist-packages/numpy \
    python3-matplotlib=file:/usr/lib/python3/dist-packages/matplotlib \
    python3-ipykernel=file:/usr/lib/python3/dist-packages/ipykernel \
    python3-nbclient=file:/usr/lib/python3/dist-packages/nbclient \
    jupyter-nbconvert=command:jupyter-nbconvert

JAVA_NEEDS = default-jdk-headless=command:javac libjna-java=file:/usr/share/java/jna.jar

# For `make deb`; and what `make test-packages` needs in addition.
DEB_NEEDS = debhelper=command:dh dh-python=command:dh_python3 dpkg-dev=command:dpkg-buildpackage \
    $(wordlist 1,2,$(PYTHON_NEEDS))
PACKAGE_NEEDS = lintian=command:lintian debootstrap=command:debootstrap git=command:git

.PHONY: setup-packages
setup-packages:
	@tests/setup.sh --install $(BUILD_NEEDS) $(SERVE_NEEDS) $(PAGE_NEEDS) $(DEB_NEEDS) $(PACKAGE_NEEDS) $(PYTHON_NEEDS) \
	    $(PYTHON_TEST_NEEDS) $(JAVA_NEEDS)

# ---- The source archive, and Debian packages ----------------------------------------------------

.PHONY: dist deb test-packages
DIST = $(BUILD)/dist/wari-$(VERSION).tar.gz
DEB_FOLDER = $(BUILD)/deb

dist:
	@packaging/dist.sh $(DIST) wari-$(VERSION)

# Built from the archive, so that a file that is missing in it is noticed.
deb: dist
	@SETUP=setup-packages tests/setup.sh --check $(BUILD_NEEDS) $(SERVE_NEEDS) $(PAGE_NEEDS) $(DEB_NEEDS)
	rm -rf $(DEB_FOLDER) && mkdir -p $(DEB_FOLDER) && tar -C $(DEB_FOLDER) -xf $(DIST)
	cp -r $(DEB_FOLDER)/wari-$(VERSION)/packaging/debian $(DEB_FOLDER)/wari-$(VERSION)/debian
	cd $(DEB_FOLDER)/wari-$(VERSION) && MAKEFLAGS= DEB_BUILD_OPTIONS="parallel=$(JOBS) $(DEB_OPTIONS)" $(DEB_SETTINGS) \
	    dpkg-buildpackage --build=binary --unsigned-changes --unsigned-buildinfo >../log 2>&1 || \
	    { tail -n 30 ../log >&2; exit 2; }
	@ls -l $(DEB_FOLDER)/*.deb

# CHROOT=no skips the test in a new Debian system, which takes minutes to set up. The tested packages are built without debug
# information and with few optimisations, because the tests need neither, and this takes less time. They have their own
# folder, so that they do not replace the packages of `make deb`, which are for users.
test-packages: DEB_FOLDER = $(BUILD)/test-deb
test-packages: DEB_OPTIONS = noautodbgsym
test-packages: DEB_SETTINGS = DEB_CFLAGS_STRIP="-g -O2" DEB_CFLAGS_APPEND=-O1
test-packages: deb
	@SETUP=setup-packages tests/setup.sh --check $(PACKAGE_NEEDS)
	@tests/packages/run.sh $(BUILD)/log/packages $(DIST) $(DEB_FOLDER) $(BUILD)/base-system

# ---- Python -------------------------------------------------------------------------------------

# The package for Python. For its tests it is linked with the static library that is already built.
.PHONY: sdist wheel test-python
sdist:
	@SETUP=setup-packages tests/setup.sh --check $(PYTHON_NEEDS) $(PYTHON_TEST_NEEDS)
	cd bindings/python && $(PYTHON) -m build --sdist --no-isolation --outdir $(abspath $(BUILD))/sdist . >/dev/null
	@ls $(BUILD)/sdist/*.tar.gz

wheel:
	@SETUP=setup-packages tests/setup.sh --check $(BUILD_NEEDS) $(PYTHON_NEEDS)
	rm -rf bindings/python/build
	$(PYTHON) -m pip wheel --quiet --no-index --no-build-isolation --no-deps -w $(BUILD)/wheel ./bindings/python
	@ls $(BUILD)/wheel/*.whl

test-python:
	@SETUP=setup-packages tests/setup.sh --check $(BUILD_NEEDS) $(PYTHON_NEEDS) $(PYTHON_TEST_NEEDS)
	@+$(MAKE_IN) $(BUILD)/wari $(BUILD)/libwari.a
	@PYTHON=$(PYTHON) bindings/python/tests/run.sh $(BUILD)/log/python $(BUILD)/wari $(BUILD)/libwari.a

# Runs the notebook, and writes it together with its results to $(BUILD)/notebook/values.html.
.PHONY: setup-notebook test-notebook
setup-notebook:
	@tests/setup.sh --install $(BUILD_NEEDS) $(PYTHON_NEEDS) $(NOTEBOOK_NEEDS)

test-notebook:
	@SETUP=setup-notebook tests/setup.sh --check $(BUILD_NEEDS) $(PYTHON_NEEDS) $(NOTEBOOK_NEEDS)
	@+$(MAKE_IN) $(BUILD)/wari $(BUILD)/libwari.a
	@PYTHON=$(PYTHON) bindings/python/tests/notebook.sh $(BUILD)/notebook $(BUILD)/wari $(BUILD)/libwari.a

# ---- Java ---------------------------------------------------------------------------------------

.PHONY: java test-java
java:
	@SETUP=setup-packages tests/setup.sh --check $(JAVA_NEEDS)
	@bindings/java/build.sh $(BUILD)/java $(VERSION) /usr/share/java/jna.jar
	@ls $(BUILD)/java/*.jar

test-java:
	@SETUP=setup-packages tests/setup.sh --check $(BUILD_NEEDS) $(JAVA_NEEDS)
	@+$(MAKE_IN) $(BUILD)/wari $(BUILD)/libwari.so
	@bindings/java/run.sh $(BUILD)/log/java $(BUILD)/wari $(BUILD)
